// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HubToken} from "../../src/HubToken.sol";
import {Staking} from "../../src/Staking.sol";
import {StakingHandler} from "./StakingHandler.sol";
import {ForgeTest} from "./Vm.sol";

contract StakingInvariants is ForgeTest {
    StakingHandler private _handler;
    Staking private _staking;
    HubToken private _token;

    function setUp() external {
        _handler = new StakingHandler();
        _staking = _handler.staking();
        _token = _handler.token();
        _target(address(_handler));
    }

    /// @dev One run for all four: each of them costs as much as the calls before it.
    function invariant_Holds() external view {
        _collateralIsConserved();
        _tokensAreWithOwnersContractAndTreasury();
        _openSlashesAreCounted();
        _noncesOnlyRise();
    }

    /// @dev What lies in the contract is what the subscriptions add up to, each as the books have it.
    function _collateralIsConserved() private view {
        bytes32[] memory ids = _handler.ids();
        uint256 sum;
        for (uint256 i = 0; i < ids.length; ++i) {
            uint256 collateral = _staking.subscriptionOf(ids[i]).collateral;
            assert(collateral == _handler.collateral(ids[i]));
            sum += collateral;
        }
        assert(_token.balanceOf(address(_staking)) == sum);
    }

    /// @dev Collateral leaves to its owner and to the treasury, and to nobody else.
    function _tokensAreWithOwnersContractAndTreasury() private view {
        address[] memory owners = _handler.owners();
        uint256 sum = _token.balanceOf(address(_staking)) + _token.balanceOf(_handler.TREASURY());
        for (uint256 i = 0; i < owners.length; ++i) {
            uint256 balance = _token.balanceOf(owners[i]);
            assert(balance == _handler.balance(owners[i]));
            sum += balance;
        }
        assert(sum == _token.totalSupply());
        assert(_token.balanceOf(_handler.TREASURY()) == _handler.slashed());
    }

    /// @dev The handler tries to withdraw at any time; this is the count that holds the contract back.
    function _openSlashesAreCounted() private view {
        bytes32[] memory ids = _handler.ids();
        for (uint256 i = 0; i < ids.length; ++i)
            assert(_staking.subscriptionOf(ids[i]).openSlashes == _handler.openSlashes(ids[i]));
    }

    /// @dev One for every accepted action; the handler sees each rise by exactly one.
    function _noncesOnlyRise() private view {
        address[] memory owners = _handler.owners();
        for (uint256 i = 0; i < owners.length; ++i)
            assert(_staking.nonces(owners[i]) == _handler.actions(owners[i]));
    }
}
