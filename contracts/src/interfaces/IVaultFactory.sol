// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IExpiringPause} from "./IExpiringPause.sol";
import {IProjectRegistry} from "./IProjectRegistry.sol";

/**
 * @title Opens the vault of a project
 * @notice A vault is an EIP-1167 clone created with the project id as salt, so a manifest can name its vault before it
 * exists. The roles of all vaults are kept here. A pause stops the posting of epochs in all vaults at once; payments go on.
 */
interface IVaultFactory is IExpiringPause {
    event VaultCreated(
        bytes32 indexed projectId,
        address indexed vault,
        address indexed developer,
        address token,
        uint32 epochSecs,
        uint128 epochCap
    );

    /// @notice Nobody registered such a project.
    error UnknownProject(bytes32 projectId);

    /// @notice Only the developer opens a vault, or a poster for it.
    error NotDeveloper(bytes32 projectId, address account);

    /// @notice The address of the token has no contract, so the vault could never pay, and a vault is opened only once.
    error NotAToken(address token);

    /// @notice The project has its vault.
    error VaultExists(bytes32 projectId, address vault);

    /**
     * @notice Opens the vault of a project.
     * @dev The address says nothing about the token, so the opener of the vault chooses it. A stranger must not be able to
     * do that first with a token of its own; the developer of the registry may, and a poster, which reads the token from
     * the signed manifest. The developer itself is taken from the registry and cannot be chosen. The hub compares token and
     * terms with the manifest.
     * @param epochSecs length of the project's epochs.
     * @param epochCap the most an epoch pays, fees included: the daily emission's part of an epoch.
     */
    function create(
        bytes32 projectId,
        IERC20 token,
        uint32 epochSecs,
        uint128 epochCap
    ) external returns (address vault);

    /// @notice The address at which the vault of a project is or will be.
    function vaultOf(bytes32 projectId) external view returns (address);

    /// @notice The code that all vaults share.
    function implementation() external view returns (address);

    /// @notice The registry that names the developers of projects.
    function registry() external view returns (IProjectRegistry);
}
