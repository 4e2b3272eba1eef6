// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IExpiringPause} from "./interfaces/IExpiringPause.sol";
import {IProjectRegistry} from "./interfaces/IProjectRegistry.sol";
import {IProjectVault} from "./interfaces/IProjectVault.sol";
import {IVaultFactory} from "./interfaces/IVaultFactory.sol";
import {ExpiringPause} from "./lib/ExpiringPause.sol";
import {GuardedRoles} from "./lib/GuardedRoles.sol";
import {VaultRoles} from "./lib/VaultRoles.sol";
import {ProjectVault} from "./ProjectVault.sol";

contract VaultFactory is IVaultFactory, GuardedRoles, ExpiringPause {
    bytes32 public constant POSTER_ROLE = VaultRoles.POSTER;
    bytes32 public constant ARBITER_ROLE = VaultRoles.ARBITER;

    /// @inheritdoc IVaultFactory
    IProjectRegistry public immutable registry;
    /// @inheritdoc IVaultFactory
    address public immutable implementation;

    constructor(
        IProjectRegistry registry_,
        address treasury,
        uint64 challengeSecs,
        uint64 withdrawalNoticeSecs,
        address admin,
        address guardian,
        address poster,
        address arbiter
    ) GuardedRoles(admin, guardian) {
        registry = registry_;
        implementation = address(new ProjectVault(treasury, challengeSecs, withdrawalNoticeSecs));
        _grantRole(POSTER_ROLE, poster);
        _grantRole(ARBITER_ROLE, arbiter);
    }

    /// @inheritdoc IVaultFactory
    function create(
        bytes32 projectId,
        IERC20 token,
        uint32 epochSecs,
        uint128 epochCap
    ) external returns (address vault) {
        address developer = registry.developerOf(projectId);
        if (developer == address(0)) revert UnknownProject(projectId);
        if (msg.sender != developer && !hasRole(POSTER_ROLE, msg.sender))
            revert NotDeveloper(projectId, msg.sender);
        if (address(token).code.length == 0) revert NotAToken(address(token));
        vault = vaultOf(projectId);
        if (vault.code.length != 0) revert VaultExists(projectId, vault);
        Clones.cloneDeterministic(implementation, projectId);
        IProjectVault(vault).initialize(projectId, developer, token, epochSecs, epochCap);
        emit VaultCreated(projectId, vault, developer, address(token), epochSecs, epochCap);
    }

    /// @inheritdoc IExpiringPause
    function pause() external onlyRole(ARBITER_ROLE) {
        _pause();
    }

    /// @inheritdoc IExpiringPause
    function unpause() external onlyRole(ARBITER_ROLE) {
        _unpause();
    }

    /// @inheritdoc IVaultFactory
    function vaultOf(bytes32 projectId) public view returns (address) {
        return Clones.predictDeterministicAddress(implementation, projectId);
    }
}
